/**
 * The start time of processes, from what each platform's own tools print: with the pid it names one process for good,
 * since pids are given again. Parsers are pure; each keeps the platform's own form, which harnesses record too.
 */

/**
 * Field 22 of `/proc/PID/stat` (proc(5)): clock ticks since boot. The name of the program, in parentheses, may itself
 * hold spaces and parentheses, so fields are counted from the last one. A zombie has ended: undefined.
 */
export function linuxStart(stat: string): string | undefined {
  const fields = stat
    .slice(stat.lastIndexOf(')') + 1)
    .trim()
    .split(' ');
  const [state] = fields;
  const start = fields[19];
  if (state === 'Z' || state === 'X' || state === 'x') return undefined;
  return start !== undefined && /^\d+$/.test(start) ? start : undefined;
}

/** Prints one process a line: pid and start, like `  501 Mon Sep 14 09:05:00 2026`. */
export const darwinCommand = ['/bin/ps', '-axo', 'pid=,lstart='] as const;

/** The text of `lstart`, trimmed, as `ps -o lstart= -p PID` gives it, in the C locale and the person's time zone. */
export function darwinStarts(output: string): ReadonlyMap<number, string> {
  return table(output, /^\s*(\d+)\s+(\S.*\S)\s*$/);
}

/**
 * Prints pid and start (in 100 ns since 1601, UTC) of every process. A whole path, so that no program of this name in
 * the current folder is run; wmic is gone from new Windows.
 */
export function windowsCommand(systemRoot: string): readonly [string, ...string[]] {
  return [
    `${systemRoot}\\System32\\WindowsPowerShell\\v1.0\\powershell.exe`,
    '-NoLogo',
    '-NoProfile',
    '-NonInteractive',
    '-Command',
    'Get-CimInstance -ClassName Win32_Process -Property ProcessId,CreationDate | Where-Object CreationDate | ' +
      "ForEach-Object { '{0} {1}' -f $_.ProcessId, $_.CreationDate.ToFileTimeUtc() }",
  ];
}

export function windowsStarts(output: string): ReadonlyMap<number, string> {
  return table(output, /^\s*(\d+)\s+(\d+)\s*$/);
}

function table(output: string, form: RegExp): ReadonlyMap<number, string> {
  const starts = new Map<number, string>();
  for (const line of output.split('\n')) {
    const [, pid, start] = form.exec(line) ?? [];
    if (pid !== undefined && start !== undefined) starts.set(Number(pid), start);
  }
  return starts;
}
