import type { CreationOptional, InferAttributes, InferCreationAttributes } from 'sequelize';
import { Model, Table } from 'sequelize-typescript';
import { Email, Flag, KeyId, NewKeyId, Text, Timestamp } from '../engine/db';

/** The recipient of a company's invoices. */
@Table({ tableName: 'clients' })
export class Client extends Model<InferAttributes<Client>, InferCreationAttributes<Client>> {
  @KeyId declare companyId: number;
  @NewKeyId declare id: CreationOptional<number>;
  @Text(255) declare name: string;
  @Email declare email: string | null;
  @Text(50) declare phone: string | null;
  @Text(1000) declare address: string | null;
  @Text(100) declare taxId: string | null;
  @Text(35) declare locale: string | null;
  @Flag declare reminders: CreationOptional<boolean | 0 | 1>;
  /** Null as long as `email` is the first one. */
  @Timestamp declare emailChangedAt: CreationOptional<Date | null>;
  /** The caller's own id, from an import. */
  @Text(100) declare externalId: CreationOptional<string | null>;
  @Flag declare softDelete: boolean;
  @Timestamp declare createdAt: Date;
  @Timestamp declare updatedAt: Date;
}
