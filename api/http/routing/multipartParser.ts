// A module of its own, which the first upload loads: the parser has as many modules as Koa, its router and ajv together.
export { koaBody } from 'koa-body';
