import { openPackedIndex } from '../../src/graph/packed-index.ts';
import { openSearchSlices } from '../../src/graph/search-slices.ts';
import { openSearchThread } from '../../src/graph/search-thread.ts';
import { searchHostContract } from '../contract/search-host.ts';

searchHostContract('a text index in slices', () => openSearchSlices(openPackedIndex()));
searchHostContract('a text index in a thread', openSearchThread);
