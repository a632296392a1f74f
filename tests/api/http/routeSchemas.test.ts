import { routes } from '../../../api/routes';
import { ValidationFailed } from '../../../shared/engine/errors';
import { bodyValidator, queryValidator } from '../../../shared/engine/schemas/ajv';

/** Runs a check for its side effect: it compiles the schema, whatever it says of the value. */
function compile(check: (value: Record<string, unknown>) => void): void {
  try {
    check({});
  } catch (error) {
    if (!(error instanceof ValidationFailed)) throw error;
  }
}

test.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s › the schemas of its body and query compile',
  (_, { body, query }) => {
    if (body) compile(bodyValidator(body));
    if (query) compile(queryValidator(query));
  },
);
