const { existsSync } = require('node:fs');
const { isBuiltin } = require('node:module');
const { dirname, join, relative, resolve } = require('node:path');
const { compileFunction } = require('node:vm');
const { default: Runtime } = require('jest-runtime');

const root = resolve(__dirname, '../../..');
const compiledFiles = new Map();
const compiledTests = new Map();

/**
 * Loads packages and the project's compiled modules once per Jest worker, with the `require` of Node.js: the tests run what is deployed, and
 * what an earlier file used is warm. Only the tests and their support are evaluated for each file. Needs environment.cjs.
 */
module.exports = class SharedModulesRuntime extends Runtime {
  constructor(...args) {
    super(...args);
    const { executor } = this;
    if (typeof executor?.compile !== 'function')
      throw new Error('another version of Jest: see what compiles its modules');
    const parameters = executor.injectedModuleParameters;
    executor.compile = (source, filename) => {
      const known = compiledTests.get(filename);
      if (known?.source === source) return known.run;
      const run = compileFunction(source, parameters, { filename });
      compiledTests.set(filename, { source, run });
      return run;
    };
  }

  requireModule(from, moduleName, options, isRequireActual) {
    if (moduleName && !options?.isInternalModule && !isBuiltin(moduleName)) {
      if (!/^[./]/.test(moduleName)) return require(moduleName);
      const compiled = compiledFile(resolve(dirname(from), moduleName));
      if (compiled !== null) return require(compiled);
    }
    return super.requireModule(from, moduleName, options, isRequireActual);
  }
};

/** Returns the file in `dist` of what a test imports by this path; null for what is not compiled, such as the tests' support. */
function compiledFile(path) {
  let file = compiledFiles.get(path);
  if (file === undefined) {
    const output = join(root, 'dist', relative(root, path));
    file = [`${output}.js`, join(output, 'index.js')].find(existsSync) ?? null;
    compiledFiles.set(path, file);
  }
  return file;
}
