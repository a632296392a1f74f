import { DataType, type Model } from 'sequelize-typescript';
import { asciiAddress } from '../../../config/emailAddress';

/** The column `email`. Addresses are stored in ASCII: responses promise the format `email`, and mail providers require it. */
export const emailColumn = {
  type: DataType.STRING(254),
  set(this: Model, address: string | null): void {
    this.setDataValue('email', address === null ? null : asciiAddress(address));
  },
};
