import { flag, httpUrl, oneOf, text } from './kinds';
import { readBy, type ValuesOf } from './variable';

const forServers = readBy('api', 'worker');

/** The standard variables of OpenTelemetry that decide whether and where traces are sent. Its SDK reads the others itself. */
export const tracing = {
  endpoint: forServers(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    httpUrl('http://127.0.0.1:4318'),
    '',
    'The receiver of [traces](run.md#traces), which takes OTLP over HTTP under `/v1/traces`. Empty: no traces.',
  ),
  tracesEndpoint: forServers(
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    httpUrl('http://127.0.0.1:4318/v1/traces'),
    '',
    'The whole address for traces, in place of `OTEL_EXPORTER_OTLP_ENDPOINT`.',
  ),
  protocol: forServers(
    'OTEL_EXPORTER_OTLP_PROTOCOL',
    oneOf(['http/protobuf', 'http/json']),
    'http/protobuf',
    'How traces are encoded. There is no gRPC: give the HTTP port of the receiver, usually 4318.',
  ),
  headers: forServers(
    'OTEL_EXPORTER_OTLP_HEADERS',
    text('name=value pairs between commas'),
    '',
    'Headers of each request to the receiver, such as its API key.',
    { secret: true },
  ),
  serviceName: forServers(
    'OTEL_SERVICE_NAME',
    text('a name, for example billing-api'),
    '',
    'The name of the process in traces. Empty: `invoicing-api` or `invoicing-worker`.',
  ),
  exporter: forServers(
    'OTEL_TRACES_EXPORTER',
    oneOf(['otlp', 'none']),
    'otlp',
    '`none` sends no traces, also where an endpoint is set.',
  ),
  isDisabled: forServers('OTEL_SDK_DISABLED', flag, 'false', '`true` sends no traces, also where an endpoint is set.'),
};

/** Traces are sent if an endpoint is set and no variable disables them. */
export function tracingConfig(values: ValuesOf<typeof tracing>) {
  const { endpoint, tracesEndpoint, exporter, isDisabled, protocol, serviceName } = values;
  const isOn = (endpoint !== '' || tracesEndpoint !== '') && exporter === 'otlp' && !isDisabled;
  return { isOn, protocol, serviceName };
}
