export * from './AppError';
export * from './requestErrors';
export * from './effectErrors';
