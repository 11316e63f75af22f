#!/usr/bin/env python3
"""Serves the ClickHouse engine of libchdb.so over HTTP and native TCP on loopback.

usage: clickhouse_server.py LIBCHDB_SO DATA_DIRECTORY HTTP_PORT TCP_PORT [ENGINE_ARGUMENT ...]

The engine needs a real thread stack, which ctypes provides and most foreign-function libraries of Node do not.
"""
import ctypes
import signal
import sys

library, data_directory, http_port, tcp_port, *engine_arguments = sys.argv[1:]

# Restores the default handlers, because Python's own would never run while the interpreter is inside the engine.
for stop in (signal.SIGTERM, signal.SIGINT):
    signal.signal(stop, signal.SIG_DFL)

engine = ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL)
arguments = [
    "clickhouse-local",
    f"--path={data_directory}",
    f"--http_port={http_port}",
    f"--tcp_port={tcp_port}",
    "--listen_host=127.0.0.1",
    *engine_arguments,
    # The engine exits when its queries are done, so the last one never ends.
    "--query=SYSTEM START LISTEN HTTP; SYSTEM START LISTEN TCP; "
    "SELECT sleepEachRow(1) FROM system.numbers FORMAT Null "
    "SETTINGS function_sleep_max_microseconds_per_block=0, max_block_size=1, log_queries=0",
]
argv = (ctypes.c_char_p * len(arguments))(*[argument.encode() for argument in arguments])
engine.chdb_query_cmdline.restype = ctypes.c_void_p
engine.chdb_result_error.restype = ctypes.c_char_p
engine.chdb_result_error.argtypes = [ctypes.c_void_p]
result = engine.chdb_query_cmdline(len(arguments), argv)
sys.exit(f"engine ended: {engine.chdb_result_error(result) if result else 'no result'}")
