const { isBuiltin } = require('node:module');
const { compileFunction } = require('node:vm');
const { default: Runtime } = require('jest-runtime');

const transformed = new Map();
const compiled = new Map();

/**
 * Loads packages once per Jest worker, with the `require` of Node.js. The project's own modules are evaluated for each test file, so
 * that no file sees another's state, but transformed and compiled once. Needs environment.cjs.
 */
module.exports = class SharedPackagesRuntime extends Runtime {
  constructor(...args) {
    super(...args);
    const { executor } = this;
    if (typeof executor?.compile !== 'function')
      throw new Error('another version of Jest: see what compiles its modules');
    const { scriptTransformer } = executor.transformCache;
    const transform = scriptTransformer.transform.bind(scriptTransformer);
    scriptTransformer.transform = (filename, options, source) => {
      const known = transformed.get(filename);
      if (known?.source === source) return known.result;
      const result = transform(filename, options, source);
      transformed.set(filename, { source, result });
      return result;
    };
    const parameters = executor.injectedModuleParameters;
    executor.compile = (source, filename) => {
      const known = compiled.get(filename);
      if (known?.source === source) return known.run;
      const run = compileFunction(source, parameters, { filename });
      compiled.set(filename, { source, run });
      return run;
    };
  }

  requireModule(from, moduleName, options, isRequireActual) {
    const isPackage = moduleName && !/^[./]/.test(moduleName) && !isBuiltin(moduleName);
    if (isPackage && !options?.isInternalModule) return require(moduleName);
    return super.requireModule(from, moduleName, options, isRequireActual);
  }
};
