/** Imports go one way: config <- shared <- { operator <- { api, workers }, cli }. dev, bench and tests may see everything. */
const forbid = (name, from, to, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { path: to },
});
const features = [
  ...[
    'apiKeys',
    'balance',
    'categories',
    'clients',
    'companies',
    'emails',
    'documents',
    'expenses',
    'hostedPages',
    'invoiceDocuments',
    'invoices',
    'paymentLinks',
    'payments',
  ],
  ...['receipts', 'recurrence', 'reminders', 'reports', 'schedules', 'timeline', 'webhooks'],
].join('|');
const npm = (names) => `node_modules/(${names})(/|$)`;

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'types included; with doors, a circle of folders is one of files',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'feature-by-its-index',
      comment: 'a feature is used through its index.ts',
      severity: 'error',
      // models.ts lists the tables, eventTypes.ts the events.
      from: {
        path: `^(shared|operator|api|workers|cli)/(${features}|[^/]+)`,
        pathNot: '^shared/(models|eventTypes).ts$',
      },
      to: { path: `^shared/(${features})/`, pathNot: ['^shared/[^/]+/index.ts$', '^shared/$2/'] },
    },
    {
      name: 'engine-by-its-doors',
      comment: 'a room of the engine is used through its index.ts',
      severity: 'error',
      from: { path: '^(shared|operator|api|workers|cli)/', pathNot: '^shared/engine/' },
      to: { path: '^shared/engine/', pathNot: '^shared/engine/[^/]+/index.ts$' },
    },
    {
      name: 'rooms-by-their-doors',
      comment: 'also by the other rooms',
      severity: 'error',
      from: { path: '^shared/engine/([^/]+)/' },
      to: { path: '^shared/engine/', pathNot: ['^shared/engine/[^/]+/index.ts$', '^shared/engine/$1/'] },
    },
    forbid(
      'engine-knows-no-feature',
      '^shared/engine/',
      '^shared/(?!engine|money|dates|invoiceNumbers)',
      'features stand on the engine',
    ),
    forbid(
      'documents-know-no-feature',
      '^shared/documents/',
      `^shared/(?!documents|engine|money|dates)`,
      'they draw what they are handed',
    ),
    forbid('pure-is-pure', '^shared/(money|dates|invoiceNumbers)/', '^shared/(?!money|dates|invoiceNumbers)', 'no I/O'),
    forbid('config-stands-alone', '^config/', '^(shared|operator|api|workers|cli|dev)/', 'config is at the bottom'),
    forbid('shared-is-below', '^shared/', '^(operator|api|workers|cli|dev)/', 'every process stands on shared'),
    forbid('api-knows-no-workers', '^api/', '^(workers|cli|dev)/', 'the API enqueues, it does not do the work'),
    forbid('workers-know-no-api', '^workers/', '^(api|cli|dev)/', 'workers answer nobody'),
    forbid('operator-is-below', '^operator/', '^(api|workers|cli|dev)/', 'the API and the workers open its port'),
    forbid(
      'cli-knows-shared-alone',
      '^cli/',
      '^(operator|api|workers|dev)/',
      'it runs in production, beside the others',
    ),
    forbid('client-stands-alone', '^clients/', '^(?!clients/)', 'it is a package, also for browsers'),
    forbid(
      'client-is-for-others',
      '^(config|shared|operator|api|workers|cli)/',
      '^clients/',
      'the service does not call itself',
    ),
    forbid('errors-stand-alone', '^shared/engine/errors/', '^shared/(?!engine/errors/)', 'errors know nothing'),
    forbid(
      'koa-only-in-servers',
      '^(shared|workers|config)/',
      npm('koa|@koa|koa-helmet|@bull-board'),
      'HTTP apps are the API and the operator port',
    ),
    {
      name: 'metrics-in-one-file',
      comment: 'the library of the metrics can be exchanged in one place',
      severity: 'error',
      from: { pathNot: '^shared/engine/metrics/metrics.ts$' },
      to: { path: npm('prom-client') },
    },
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
