"""Asks for a large answer over many connections and takes it a little at a time, as a bad line or a hostile client would.

Node cannot make a socket's receive buffer small, and a large one would take in the whole answer at once."""
import socket
import sys
import threading
import time

port, path, authorization, readers, seconds = sys.argv[1:]
until = time.monotonic() + float(seconds)
request = f"GET {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: {authorization}\r\n\r\n".encode()
asked = [0]


def read():
    while time.monotonic() < until:
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        connection.settimeout(30)
        try:
            connection.connect(("127.0.0.1", int(port)))
            connection.sendall(request)
            asked[0] += 1
            while time.monotonic() < until and connection.recv(512):
                time.sleep(0.05)
        except OSError:
            pass
        connection.close()


threads = [threading.Thread(target=read) for _ in range(int(readers))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(asked[0])
