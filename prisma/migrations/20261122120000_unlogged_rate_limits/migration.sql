-- Counting a request must not wait for the disk. After a crash of the database the hours start again.
ALTER TABLE "rate_limits" SET UNLOGGED;
