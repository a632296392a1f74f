import { DataType, type Model } from 'sequelize-typescript';

/** The column `softDelete`. The driver returns a BOOLEAN as 0 or 1; models show a boolean. */
export const softDeleteColumn = {
  type: DataType.BOOLEAN,
  get(this: Model): boolean {
    return Boolean(this.getDataValue('softDelete' as never));
  },
};
