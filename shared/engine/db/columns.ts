import { Column, DataType, type Model } from 'sequelize-typescript';
import { asciiAddress } from '../../../config/emailAddress';

/** The columns of models, one decorator each: what the type of a column is called here. */
type Decorator = (target: object, property: string) => void;

const column = (options: Parameters<typeof Column>[0]): Decorator => Column(options as never) as Decorator;
const bigint = DataType.BIGINT.UNSIGNED;

/** A number that counts or refers: ids, bytes. */
export const Id = column(bigint);
/** Part of the primary key, which begins with the company in every table of a company. */
export const KeyId = column({ type: bigint, primaryKey: true });
/** The id that MySQL gives. */
export const NewId = column({ type: bigint, autoIncrement: true });
export const NewKeyId = column({ type: bigint, primaryKey: true, autoIncrement: true });
export const Text = (length?: number): Decorator =>
  column(length === undefined ? DataType.TEXT : DataType.STRING(length));
/** An amount of money, a quantity or a rate, with two places. */
export const Decimal = (digits = 15): Decorator => column(DataType.DECIMAL(digits, 2));
/** `YYYY-MM-DD` */
export const Day = column(DataType.DATEONLY);
export const Timestamp = column(DataType.DATE(3));
export const Count = column(DataType.INTEGER.UNSIGNED);
export const Small = column(DataType.SMALLINT.UNSIGNED);
/** An e-mail address, stored in ASCII: responses promise the format `email`, and mail providers require it. */
export const Email: Decorator = (target, property) => {
  const set = function (this: Model, address: string | null): void {
    this.setDataValue(property, address === null ? null : asciiAddress(address));
  };
  column({ type: DataType.STRING(254), set })(target, property);
};
/** A boolean. The driver returns 0 or 1; models show `false` or `true`. */
export const Flag: Decorator = (target, property) => {
  const shown = function (this: Model): boolean {
    return Boolean(this.getDataValue(property as never));
  };
  column({ type: DataType.BOOLEAN, get: shown })(target, property);
};
