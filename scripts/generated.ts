// Everything that is made from the code, held against it in one process: each of these reads most of the source. `--write` brings all of it up to date.
import './check-readme.ts';
import './man-page.ts';
import './metadata.ts';
