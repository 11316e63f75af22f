/**
 * Loaded with `--import` into a child process that has an IPC channel to its parent, so that it exits whenever the parent exits, even after kill -9.
 */
process.on('disconnect', () => process.exit());
process.channel?.unref();
