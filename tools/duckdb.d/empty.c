/* Nothing of its own: libweirduckdb.so is made of archives. */
typedef int weir_empty;
