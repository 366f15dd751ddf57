import { openInvertedIndex } from '../../../../src/graph/search/inverted/inverted-index.ts';
import { openSearchSlices } from '../../../../src/graph/search/worker/search-slices.ts';
import { openSearchThread } from '../../../../src/graph/search/worker/search-thread.ts';
import { searchHostContract } from './search-host-contract.ts';

searchHostContract('a text index in slices', () => openSearchSlices(openInvertedIndex()));
searchHostContract('a text index in a thread', openSearchThread);
