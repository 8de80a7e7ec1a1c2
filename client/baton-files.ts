/**
 * Batons under review, as files of the scheme `loom-baton:` that live in memory only: an ordinary editor opens them, saving
 * keeps the edit, and closing one asks nothing once it is done with.
 */
import * as vscode from 'vscode';

export const batonScheme = 'loom-baton';

export class BatonFiles implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #change = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#change.event;
  readonly #files = new Map<string, { bytes: Uint8Array; mtime: number }>();

  put(uri: vscode.Uri, text: string): void {
    const known = this.#files.has(uri.path);
    this.#files.set(uri.path, { bytes: Buffer.from(text, 'utf8'), mtime: Date.now() });
    this.#change.fire([{ type: known ? vscode.FileChangeType.Changed : vscode.FileChangeType.Created, uri }]);
  }

  drop(uri: vscode.Uri): void {
    if (this.#files.delete(uri.path)) this.#change.fire([{ type: vscode.FileChangeType.Deleted, uri }]);
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    if (uri.path === '/') return { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 };
    const file = this.#file(uri);
    return { type: vscode.FileType.File, ctime: 0, mtime: file.mtime, size: file.bytes.byteLength };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.#file(uri).bytes;
  }

  writeFile(uri: vscode.Uri, bytes: Uint8Array): void {
    this.#file(uri);
    this.#files.set(uri.path, { bytes, mtime: Date.now() });
    this.#change.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    this.#files.clear();
    this.#change.dispose();
  }

  #file(uri: vscode.Uri): { readonly bytes: Uint8Array; readonly mtime: number } {
    const file = this.#files.get(uri.path);
    if (file === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    return file;
  }
}
