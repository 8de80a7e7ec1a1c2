/** Loom's own words for where a text comes from, by who may have written it. */
import type { Trust } from '../../shuttles/contract/entry.ts';

export function sourceName(trust: Trust): string {
  switch (trust) {
    case 'web':
      return 'a web page';
    case 'chat':
      return 'a chat message';
    case 'harness':
      return 'the harness';
    case 'user':
    case 'model':
    case 'loom':
    case 'tool':
      return 'tool output';
  }
}
