/** Loom's version, from package.json (the bundler puts it in). */
import manifest from '../../package.json' with { type: 'json' };

export const version: string = manifest.version;
