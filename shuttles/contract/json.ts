/** JSON as values: the only shape that crosses a storage, process or webview boundary. */

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}
