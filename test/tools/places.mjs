/** Where things of the checkout lie. Everything that a tool downloads or makes goes below `.cache` or `test-results`. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
export const cache = path.join(root, '.cache');
export const results = path.join(root, 'test-results');
