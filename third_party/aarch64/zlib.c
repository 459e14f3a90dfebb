/* The functions of zlib that ALE calls, for the linker only: every Linux has the library. */
void compress(void) {}
void crc32(void) {}
void gzclose(void) {}
void gzopen(void) {}
void gzread(void) {}
