/**
 * Stands in for VS Code's @vscode/native-watchdog, which npm would have to compile: ends the extension host some seconds after the
 * server that started it is gone.
 */
const process = require('node:process');

exports.start = (pid) => {
  setInterval(() => {
    try {
      process.kill(pid, 0);
    } catch {
      process.exit(87);
    }
  }, 3000).unref();
};
exports.exit = (code) => process.exit(code ?? 0);
