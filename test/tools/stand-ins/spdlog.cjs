/**
 * Stands in for VS Code's native logger @vscode/spdlog 0.15, which npm would have to compile: without it nothing is ever shown in an
 * output channel. Appends lines to the file at once; starts the file anew when it grew beyond its size.
 */
const fs = require('node:fs');
const path = require('node:path');

const names = ['trace', 'debug', 'info', 'warning', 'error', 'critical'];
let commonLevel = 2;

class Logger {
  #file;
  #limit;
  #plain = false;
  #level = commonLevel;

  constructor(_type, _name, file, limit) {
    this.#file = file;
    this.#limit = limit;
  }

  #write(level, message) {
    if (level < this.#level) return;
    const at = new Date();
    const time = new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().replace('T', ' ').slice(0, -1);
    const line = this.#plain ? message : `${time} [${names[level]}] ${message}\n`;
    try {
      if ((fs.statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0) > this.#limit) fs.truncateSync(this.#file);
      fs.appendFileSync(this.#file, line);
    } catch {
      // A full disk or a removed folder costs the line, never the program that logs.
    }
  }

  trace(message) {
    this.#write(0, message);
  }
  debug(message) {
    this.#write(1, message);
  }
  info(message) {
    this.#write(2, message);
  }
  warn(message) {
    this.#write(3, message);
  }
  error(message) {
    this.#write(4, message);
  }
  critical(message) {
    this.#write(5, message);
  }
  getLevel() {
    return this.#level;
  }
  setLevel(level) {
    this.#level = level;
  }
  setPattern() {}
  clearFormatters() {
    this.#plain = true;
  }
  flush() {}
  drop() {}
}

async function create(type, name, file, limit) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  return new Logger(type, name, file, limit);
}

exports.version = 0;
exports.Logger = Logger;
exports.setLevel = (level) => {
  commonLevel = level;
};
exports.setFlushOn = () => undefined;
exports.createRotatingLogger = (...options) => create('rotating', ...options);
exports.createAsyncRotatingLogger = (...options) => create('rotating_async', ...options);
