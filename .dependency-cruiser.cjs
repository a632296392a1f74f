/** Imports go one way: config <- shared <- { api, workers }. dev, bench and tests may see everything. */
const forbid = (name, from, to, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { path: to },
});
const npm = (names) => `node_modules/(${names})(/|$)`;

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    forbid('config-stands-alone', '^config/', '^(shared|api|workers|dev)/', 'config is at the bottom'),
    forbid('shared-is-below', '^shared/', '^(api|workers|dev)/', 'both processes stand on shared'),
    forbid('api-knows-no-workers', '^api/', '^(workers|dev)/', 'the API enqueues, it does not do the work'),
    forbid('workers-know-no-api', '^workers/', '^(api|dev)/', 'workers answer nobody'),
    forbid('domain-is-pure', '^shared/domain/', '^shared/(?!domain/|errors/)', 'pure functions, no I/O'),
    forbid('errors-stand-alone', '^shared/errors/', '^shared/(?!errors/)', 'errors know nothing'),
    forbid('below-outbox', '^shared/(database|jobs)/', '^shared/(outbox|usecases)/', 'usecases are on top of outbox'),
    forbid('below-usecases', '^shared/outbox/', '^shared/usecases/', 'usecases are on top of outbox'),
    forbid(
      'koa-only-in-api',
      '^(shared|workers|config)/',
      npm('koa|@koa|koa-body|koa-helmet'),
      'the API is the only HTTP app',
    ),
    forbid(
      'browser-only-in-workers',
      '^(shared|api|config)/',
      npm('puppeteer|puppeteer-core|@sparticuz|nodemailer|@sendgrid'),
      'workers touch the outside',
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    exclude: { path: '^dist/' },
  },
};
