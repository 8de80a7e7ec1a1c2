export function missingDeps(root: string): string[];
export function ensureDeps(root: string): void;
export function npmCommand(args: readonly string[]): { command: string; args: readonly string[]; shell: boolean };
