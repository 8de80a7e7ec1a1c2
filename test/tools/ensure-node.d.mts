export function isNewEnough(version: string): boolean;
export function nodeOfCheckout(root: string, platform?: string, arch?: string): string | undefined;
export function pathWith(root: string, node: string, env?: Readonly<Record<string, string | undefined>>): Record<string, string>;
