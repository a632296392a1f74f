-- The database and its two accounts, for MySQL 8 and MariaDB 10.6+. Replace both CHANGE-ME, and '%' (any host) by your hosts, then
-- run it once as an administrator: mysql < database.sql. Put the passwords into DATABASE_URL encoded: docs/install.md#passwords-in-urls.

CREATE DATABASE IF NOT EXISTS invoicing CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci;

-- DATABASE_URL of the API and of the workers: reads and writes rows, and cannot change the schema.
CREATE USER IF NOT EXISTS 'invoicing'@'%' IDENTIFIED BY 'CHANGE-ME';
GRANT SELECT, INSERT, UPDATE, DELETE ON invoicing.* TO 'invoicing'@'%';

-- DATABASE_URL of `migrate up`: also changes the schema.
CREATE USER IF NOT EXISTS 'invoicing_migrate'@'%' IDENTIFIED BY 'CHANGE-ME-TOO';
GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, DROP, INDEX, REFERENCES ON invoicing.* TO 'invoicing_migrate'@'%';
