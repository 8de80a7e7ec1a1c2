/** Values of the shapes that keys and passwords have, planted to be looked for; none of them opens anything. */
export const secrets = {
  key: `sk-ant-api03-${'Zk3v9QmTx7'.repeat(4)}-${'aB4'.repeat(9)}AA`,
  token: `ghp_${'a1B2c3D4e5F6'.repeat(3)}`,
  password: 'correct-horse-7431',
};
