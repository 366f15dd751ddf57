/** The files of a new `.roux` folder, by name. Re-exported for layers that may not import the store. */
export { homeFiles } from '../store/records/home.ts';
