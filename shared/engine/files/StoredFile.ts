import type { CreationOptional, InferAttributes, InferCreationAttributes } from 'sequelize';
import { Model, Table } from 'sequelize-typescript';
import { Flag, Id, KeyId, NewKeyId, Text, Timestamp } from '../db';

/** A file that a company has uploaded; its bytes are in the file store under `fileKey`. */
@Table({ tableName: 'stored_files' })
export class StoredFile extends Model<InferAttributes<StoredFile>, InferCreationAttributes<StoredFile>> {
  @KeyId declare companyId: number;
  @NewKeyId declare id: CreationOptional<number>;
  @Text(191) declare fileKey: string;
  @Text(16) declare kind: string;
  @Text(100) declare contentType: string;
  @Id declare size: number;
  /** When its bytes were certainly in the store; null: not yet, or never. */
  @Timestamp declare storedAt: Date | null;
  @Timestamp declare createdAt: Date;
  @Timestamp declare updatedAt: Date;
  /** Never removed: a receipt, or a logo that a sent invoice shows. */
  @Flag declare isKept: CreationOptional<boolean>;
  /** When a file that is not kept became unused. Null: it is in use. */
  @Timestamp declare unusedSince: CreationOptional<Date | null>;
}
