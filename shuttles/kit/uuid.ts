/** UUIDs (RFC 9562) of given bytes. Pure. */

/** Version 4: random bits. Of `random` the first 16 bytes are used. */
export function uuidV4(random: Uint8Array): string {
  const bytes = Buffer.alloc(16);
  bytes.set(random.subarray(0, 16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return uuidText(bytes);
}

/**
 * Version 7: 48 bits of time, then random bits, so that names sort by when they were made. `now` in milliseconds since 1970; of `random` the
 * first 10 bytes are used.
 */
export function uuidV7(now: number, random: Uint8Array): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(Math.max(0, Math.floor(now)) % 2 ** 48, 0, 6);
  bytes.set(random.subarray(0, 10), 6);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return uuidText(bytes);
}

/** The text of 16 bytes. */
export function uuidText(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.subarray(0, 16)).toString('hex').padEnd(32, '0');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
