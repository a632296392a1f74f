import { DataType, type Model } from 'sequelize-typescript';

/** A BOOLEAN column is 0 or 1 to the driver; models show it as a boolean. */
export const softDeleteColumn = {
  type: DataType.BOOLEAN,
  get(this: Model): boolean {
    return Boolean(this.getDataValue('softDelete' as never));
  },
};
