/**
 * How big a pack may be. Bounds what a read decodes beyond what it returns (`entries`, `bytes`), and how many packs an entry's number
 * can lie in the range of (`span`), so that one is found by its id without knowing its conversation.
 */
export const packLimits = {
  entries: 128,
  /** Of the contents before they are compressed; a single entry may have more. A pack that was given to a commit may have more. */
  bytes: 256 * 1024,
  /** Less than that many numbers from a pack's first entry to its last. */
  span: 4096,
} as const;
