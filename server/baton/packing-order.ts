/** What goes into a packet first, in words: `loom baton --help` prints it, packet-pieces.ts keeps it, the tests of budgets hold it to that. */
export const packingOrder = `The head and the way to the whole history are always there. Of the rest goes first what stands first here; each of
the first eleven has a share of its own, so that none takes the place of all others, and what is left over is given out
in the same order:
  1. the ask that stands now, then the first one      2. the person's constraints, the strictest first
  3. open questions                                   4. calls whose outcome is unknown
  5. open plan items and the next step                6. failures that stand: refused and taken back first
  7. the world: git, last checks, running processes   8. decisions: the person's, then those with a reason
  9. the newest exchange                             10. the twelve files that were changed last
 11. done plan items
Then failures that were mended, other findings, older files, older turns, and the harness's own summary.
Long texts are shortened in their middle before they are left out. A packet is never over its budget; 200 is the least.`;
