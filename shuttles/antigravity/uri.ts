/** The path that a `file:` URI names, for display and comparison; undefined for any other text. */
export function pathOfUri(uri: string | undefined): string | undefined {
  if (uri === undefined || uri.length > 4096 || !uri.startsWith('file://')) return undefined;
  const rest = decoded(uri.slice('file://'.length));
  if (rest === undefined || /[\n\0]/.test(rest)) return undefined;
  if (/^\/[A-Za-z]:/.test(rest)) return rest.slice(1).replaceAll('/', '\\');
  return rest.startsWith('/') ? rest : rest === '' ? undefined : `\\\\${rest.replaceAll('/', '\\')}`;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
