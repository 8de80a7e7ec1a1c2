import { expect, test } from 'vitest';
import { ledgerFolder, socketAddresses, type PlatformFacts, type SocketAddress } from './platform.ts';

const linux: PlatformFacts = { platform: 'linux', variables: {}, home: '/home/user', temporary: '/tmp', account: 1000 };
const mac: PlatformFacts = {
  platform: 'darwin',
  variables: {},
  home: '/Users/user',
  temporary: '/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T',
  account: 501,
};
const windows: PlatformFacts = { platform: 'win32', variables: {}, home: 'C:\\Users\\user', temporary: 'C:\\Temp', account: 0 };
const socketAddress = (facts: PlatformFacts, ledger: string): SocketAddress =>
  socketAddresses(facts, ledger)[0] ?? { address: '', folder: '' };
const withVariables = (facts: PlatformFacts, variables: Record<string, string>): PlatformFacts => ({ ...facts, variables });

test('the ledger lies where each platform keeps the data of programs', () => {
  expect(ledgerFolder(linux)).toBe('/home/user/.local/share/loom');
  expect(ledgerFolder(withVariables(linux, { XDG_DATA_HOME: '/data/' }))).toBe('/data/loom');
  expect(ledgerFolder(mac)).toBe('/Users/user/Library/Application Support/Loom');
  expect(ledgerFolder(withVariables(mac, { XDG_DATA_HOME: '/data' }))).toBe('/Users/user/Library/Application Support/Loom');
  expect(ledgerFolder(windows)).toBe('C:\\Users\\user\\AppData\\Local\\Loom');
  expect(ledgerFolder(withVariables(windows, { LOCALAPPDATA: 'D:\\Local' }))).toBe('D:\\Local\\Loom');
});

test('LOOM_HOME wins on every platform', () => {
  expect(ledgerFolder(withVariables(linux, { LOOM_HOME: '/l/../m', XDG_DATA_HOME: '/data' }))).toBe('/m');
  expect(ledgerFolder(withVariables(mac, { LOOM_HOME: '/m' }))).toBe('/m');
  expect(ledgerFolder(withVariables(windows, { LOOM_HOME: 'E:\\m' }))).toBe('E:\\m');
});

test('a relative or empty variable is ignored', () => {
  expect(ledgerFolder(withVariables(linux, { LOOM_HOME: 'here', XDG_DATA_HOME: '' }))).toBe('/home/user/.local/share/loom');
  expect(socketAddress(withVariables(linux, { XDG_RUNTIME_DIR: 'run' }), '/l').folder).toBe('/tmp/loom-1000');
});

test('the socket is in the runtime folder where there is one, else in a temporary folder of the person', () => {
  expect(socketAddress(withVariables(linux, { XDG_RUNTIME_DIR: '/run/user/1000' }), '/l')).toEqual({
    address: expect.stringMatching(/^\/run\/user\/1000\/loom\/[0-9a-f]{16}\.sock$/),
    folder: '/run/user/1000/loom',
  });
  expect(socketAddress(linux, '/l').folder).toBe('/tmp/loom-1000');
  expect(socketAddress(mac, '/l').folder).toBe('/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T/loom-501');
});

test('the address is always short enough for a socket', () => {
  const deep = `/${'very-long-folder/'.repeat(20)}`;
  for (const facts of [
    withVariables(linux, { XDG_RUNTIME_DIR: deep }),
    { ...mac, temporary: deep },
    { ...linux, temporary: `/${'é'.repeat(40)}` },
  ]) {
    const addresses = socketAddresses(facts, deep);
    expect(addresses.length).toBeGreaterThan(0);
    for (const { address } of addresses) expect(Buffer.byteLength(address)).toBeLessThan(100);
  }
  expect(socketAddress({ ...mac, temporary: deep }, '/l').folder).toBe('/tmp/loom-501');
});

test('where a folder cannot be used, another one can', () => {
  const folders = socketAddresses(
    withVariables({ ...linux, temporary: '/scratch' }, { XDG_RUNTIME_DIR: '/run/user/1000' }),
    '/l',
  ).map(({ folder }) => folder);
  expect(folders).toEqual(['/run/user/1000/loom', '/scratch/loom-1000', '/tmp/loom-1000']);
});

test('each ledger has an address of its own, always the same', () => {
  expect(socketAddress(linux, '/a').address).toBe(socketAddress(linux, '/a').address);
  expect(socketAddress(linux, '/a').address).not.toBe(socketAddress(linux, '/b').address);
});

test('on Windows the address is a named pipe, and case does not matter', () => {
  const address = socketAddress(windows, 'C:\\Users\\user\\AppData\\Local\\Loom');
  expect(address).toEqual({ address: expect.stringMatching(/^\\\\\.\\pipe\\loom-[0-9a-f]{16}$/), folder: undefined });
  expect(socketAddress(windows, 'c:\\users\\USER\\appdata\\local\\loom')).toEqual(address);
});
