/** The files of a fresh `.roux`, by name: what is this machine's alone, and how the history is merged. */
export { homeFiles } from '../store/records/home.ts';
