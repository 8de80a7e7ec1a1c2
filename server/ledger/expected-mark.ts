/** The mark in a first prompt of Loom's, and how it is found in what a session says. */

/** As it stands in the prompt. `token`: of `ExpectedRow`. */
export function markOf(token: string): string {
  return `[${token}]`;
}

/** 64 random bits or more. */
export function tokenOf(random: Uint8Array): string {
  return `loom:${Buffer.from(random.subarray(0, 12)).toString('hex')}`;
}

/** The text begins with a prompt of Loom's: nobody's words, and of no use to another harness. */
export function isBeginPrompt(text: string): boolean {
  return /^\s*\[loom:[0-9a-f]{16,64}\] /u.test(text);
}
