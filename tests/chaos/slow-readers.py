"""Requests a large response over many connections and reads it slowly, as a client with a bad connection or a hostile client does.

Node cannot make a socket's receive buffer small, and a large buffer would receive the whole response at once."""
import socket
import sys
import threading
import time

port, path, authorization, readers, seconds = sys.argv[1:]
until = time.monotonic() + float(seconds)
request = f"GET {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: {authorization}\r\n\r\n".encode()
requests_sent = [0]


def read():
    while time.monotonic() < until:
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        connection.settimeout(30)
        try:
            connection.connect(("127.0.0.1", int(port)))
            connection.sendall(request)
            requests_sent[0] += 1
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
print(requests_sent[0])
