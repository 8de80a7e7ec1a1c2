/** Paths as Antigravity writes them. */

/** The path that a `file:` URI names, for display and comparison; undefined for any other text. */
export function pathOfUri(uri: string | undefined): string | undefined {
  if (uri === undefined || uri.length > 4096 || !uri.startsWith('file://')) return undefined;
  const rest = decoded(uri.slice('file://'.length));
  if (rest === undefined || /[\n\0]/.test(rest)) return undefined;
  if (/^\/[A-Za-z]:/.test(rest)) return rest.slice(1).replaceAll('/', '\\');
  return rest.startsWith('/') ? rest : rest === '' ? undefined : `\\\\${rest.replaceAll('/', '\\')}`;
}

/** The `file:` URI of an absolute path; `pathOfUri` gives it back. */
export function uriOfPath(path: string): string {
  const parts = (path.startsWith('/') ? path : path.replaceAll('\\', '/')).toWellFormed().split('/');
  const encoded = parts.map((part) => (/^[A-Za-z]:$/.test(part) ? part : encodeURIComponent(part))).join('/');
  if (path.startsWith('\\\\')) return `file:${encoded}`;
  return encoded.startsWith('/') ? `file://${encoded}` : `file:///${encoded}`;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
