import { AutoIncrement, Column, DataType, Model, PrimaryKey, Table } from 'sequelize-typescript';

/** A file that a company gave us; the bytes are in the file store under `fileKey`. */
@Table({ tableName: 'stored_files' })
export class StoredFile extends Model {
  @PrimaryKey
  @Column(DataType.BIGINT.UNSIGNED)
  declare companyId: number;

  @PrimaryKey
  @AutoIncrement
  @Column(DataType.BIGINT.UNSIGNED)
  declare id: number;

  @Column(DataType.STRING(191))
  declare fileKey: string;

  @Column(DataType.STRING(16))
  declare kind: string;

  @Column(DataType.STRING(100))
  declare contentType: string;

  @Column(DataType.BIGINT.UNSIGNED)
  declare size: number;

  /** When its bytes were in the store for certain; null: not yet, or never. */
  @Column(DataType.DATE(3))
  declare storedAt: Date | null;

  @Column(DataType.DATE(3))
  declare createdAt: Date;

  @Column(DataType.DATE(3))
  declare updatedAt: Date;
}
