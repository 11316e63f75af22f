/** Loaded with `--import` into a process that has a channel to its parent: it ends when the parent does, however that ended. */
process.on('disconnect', () => process.exit());
process.channel?.unref();
