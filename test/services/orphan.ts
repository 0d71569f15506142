/** A test process whose run was killed ends too, and with it what it started. */
process.once('disconnect', () => process.exit(1));
