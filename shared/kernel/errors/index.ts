export * from './codes';
export * from './AppError';
export * from './requestErrors';
export * from './effectErrors';
