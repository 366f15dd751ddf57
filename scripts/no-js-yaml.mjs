// Stands for js-yaml in the bundled program: gray-matter asks for these two, but roux gives it a YAML parser of its own.
export function safeLoad() {
  throw new Error('js-yaml is not part of the program');
}

export function safeDump() {
  safeLoad();
}
