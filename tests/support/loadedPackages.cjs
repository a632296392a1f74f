const { writeSync } = require('node:fs');

/** Preloaded: writes which packages the process has loaded, when it tells its parent that it is ready, or when it ends without that. */
function report() {
  const packages = Object.keys(require.cache).map((file) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]);
  writeSync(2, `loaded packages: ${[...new Set(packages)].join(' ')}\n`);
}

if (process.send === undefined) {
  process.on('exit', report);
} else {
  const send = process.send.bind(process);
  process.send = (...message) => {
    report();
    return send(...message);
  };
}
