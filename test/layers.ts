/**
 * Which folder may import from which (ARCHITECTURE.md, section "Layers"), as data. The test over it reads every source file; a new
 * direction between folders is added here on purpose or not at all. `packages`: npm packages and Node modules that need naming.
 */
export interface Layer {
  readonly folder: string;
  /** Folders that it may import from, besides itself. */
  readonly may: readonly string[];
  /** Packages that only some layers may use. */
  readonly packages?: readonly string[];
}

/** The most specific folder wins. */
export const layers: readonly Layer[] = [
  { folder: 'shuttles/contract', may: [] },
  { folder: 'shuttles/kit', may: ['shuttles/contract'], packages: ['fzstd'] },
  { folder: 'shuttles/claude', may: ['shuttles/contract', 'shuttles/kit'], packages: ['diff'] },
  { folder: 'shuttles/codex', may: ['shuttles/contract', 'shuttles/kit'], packages: ['diff'] },
  { folder: 'shuttles/antigravity', may: ['shuttles/contract', 'shuttles/kit'] },
  { folder: 'shuttles/gemini', may: ['shuttles/contract', 'shuttles/kit'] },
  { folder: 'shuttles/pi', may: ['shuttles/contract', 'shuttles/kit'] },
  // OpenClaw is built on pi's agent and writes its records.
  { folder: 'shuttles/openclaw', may: ['shuttles/contract', 'shuttles/kit', 'shuttles/pi'] },
  {
    folder: 'shuttles',
    may: [
      'shuttles/contract',
      'shuttles/claude',
      'shuttles/codex',
      'shuttles/pi',
      'shuttles/openclaw',
      'shuttles/gemini',
      'shuttles/antigravity',
    ],
  },
  { folder: 'server/protocol', may: ['shuttles/contract'] },
  // Kinds, storages and processes for the engine's own tests.
  {
    folder: 'server/engine/testing',
    may: ['server/engine'],
    packages: [
      'better-sqlite3',
      '@earendil-works/chord',
      'fast-check',
      '@opentelemetry/api',
      '@opentelemetry/sdk-trace-base',
      '@opentelemetry/context-async-hooks',
    ],
  },
  {
    folder: 'server/engine',
    may: [],
    packages: ['better-sqlite3', '@earendil-works/chord', '@opentelemetry/api', 'fzstd'],
  },
  { folder: 'server/ledger', may: ['shuttles/contract', 'server/protocol', 'server/engine'], packages: ['better-sqlite3'] },
  {
    folder: 'server/ingest',
    may: ['shuttles/contract', 'shuttles/kit', 'server/protocol', 'server/engine', 'server/ledger'],
    packages: ['better-sqlite3'],
  },
  { folder: 'server/baton', may: ['shuttles/contract', 'shuttles/kit', 'server/protocol'] },
  {
    folder: 'server/drive',
    may: ['shuttles/contract', 'shuttles/kit', 'server/protocol', 'server/engine', 'server/ledger', 'server/baton'],
  },
  { folder: 'server/world', may: ['shuttles/contract', 'server/protocol', 'server/ledger'], packages: ['diff'] },
  { folder: 'server/mcp', may: ['shuttles/contract', 'server/protocol'], packages: ['@modelcontextprotocol/sdk'] },
  {
    folder: 'server/main',
    may: [
      'shuttles',
      'shuttles/contract',
      'shuttles/kit',
      'server/protocol',
      'server/ledger',
      'server/ingest',
      'server/baton',
      'server/drive',
      'server/world',
      'server/mcp',
      'package.json',
    ],
    packages: ['better-sqlite3', 'vscode-jsonrpc', 'vscode-languageserver'],
  },
  {
    folder: 'client/webview',
    may: ['shuttles/contract', 'server/protocol', 'client'],
    packages: ['lit', 'markdown-it', 'dompurify'],
  },
  {
    folder: 'client',
    may: ['shuttles/contract', 'server/protocol', 'client/webview'],
    packages: ['vscode', 'vscode-languageclient', 'diff'],
  },
];

/** Packages that anyone may use; everything else must stand in the table. */
export const freePackages: readonly string[] = [];

export interface Import {
  readonly from: string;
  readonly to: string;
  /** A type import leaves no trace at run time. */
  readonly typeOnly: boolean;
}

export function layerOf(file: string): Layer | undefined {
  return layers.filter((layer) => file.startsWith(`${layer.folder}/`)).toSorted((a, b) => b.folder.length - a.folder.length)[0];
}

/** Why the import is not allowed, in a sentence; undefined: it is. `to` is a path below the root, or a package's name. */
export function violation({ from, to }: Import): string | undefined {
  const layer = layerOf(from);
  if (layer === undefined) return `${from} belongs to no layer.`;
  if (to.startsWith('node:')) return undefined;
  if (isPath(to)) {
    const target = layerOf(to)?.folder ?? to;
    if (target === layer.folder || layer.may.includes(target)) return undefined;
    return `${layer.folder} must not import from ${target} (${from} imports ${to}).`;
  }
  const name = packageOf(to);
  if (freePackages.includes(name) || layer.packages?.includes(name) === true) return undefined;
  return `${layer.folder} must not use the package ${name} (${from}).`;
}

export function packageOf(specifier: string): string {
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? specifier);
}

export function isPath(to: string): boolean {
  return /^(?:client|server|shuttles|test|media)\//u.test(to) || to === 'package.json';
}
