export function sbomText(root: string, inputs: readonly string[]): string;
