#!/bin/sh
# Makes an authority and certificates for the nodes of the cluster and the proxy, in the folder that is named. What is there
# already stays: to renew a certificate, remove its folder and run this again.
#
#   sh deploy/certificates.sh deploy/certificates
set -eu
umask 077
folder=${1:?which folder the certificates go to}
# The users that the images of EventStoreDB and HAProxy run as. Only root can give files away.
eventstoredb=1000 haproxy=99
days=${DAYS:-825}
ledger_host=${LEDGER_HOST:-localhost}

give() { if [ "$(id -u)" -eq 0 ]; then chown -R "$1" "$2"; fi; }

mkdir -p "$folder/authority" "$folder/trusted"
authority="$folder/authority/ca.key"
trusted="$folder/trusted/ca.crt"
if [ ! -f "$authority" ] && [ ! -f "$trusted" ]; then
  openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:3072 -out "$authority" 2>/dev/null
  openssl req -x509 -new -sha256 -key "$authority" -days 3650 -subj '/O=Stackledger/CN=Stackledger cluster CA' \
    -addext 'keyUsage=critical,keyCertSign,cRLSign' -out "$trusted"
  chmod 755 "$folder" "$folder/trusted"
  chmod 644 "$trusted"
fi

# certify <folder> <common name> <subject alternative names> <user>
certify() {
  if [ -f "$folder/$1/node.crt" ]; then return; fi
  if [ ! -f "$authority" ]; then
    echo "A certificate for $1 needs the authority's key: put it back to $authority." >&2
    exit 1
  fi
  mkdir -p "$folder/$1"
  openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out "$folder/$1/node.key" 2>/dev/null
  openssl req -new -sha256 -key "$folder/$1/node.key" -subj "/CN=$2" -out "$folder/$1/request"
  cat > "$folder/$1/extensions" <<END
basicConstraints=critical,CA:FALSE
keyUsage=critical,digitalSignature,keyEncipherment
extendedKeyUsage=serverAuth,clientAuth
subjectKeyIdentifier=hash
authorityKeyIdentifier=keyid
subjectAltName=$3
END
  openssl x509 -req -sha256 -in "$folder/$1/request" -CA "$trusted" -CAkey "$authority" -CAcreateserial \
    -CAserial "$folder/authority/ca.srl" -days "$days" -extfile "$folder/$1/extensions" -out "$folder/$1/node.crt" 2>/dev/null
  rm "$folder/$1/request" "$folder/$1/extensions"
  # HAProxy wants them in one file.
  if [ "$1" = proxy ]; then cat "$folder/$1/node.crt" "$folder/$1/node.key" > "$folder/$1/both.pem"; fi
  give "$4" "$folder/$1"
}

# Nodes know each other by one common name, which must be the same in all their certificates.
for node in node1 node2 node3; do
  certify "$node" eventstoredb-node "DNS:$node,DNS:localhost,IP:127.0.0.1" "$eventstoredb"
done
certify proxy "$ledger_host" "DNS:$ledger_host,DNS:localhost,IP:127.0.0.1" "$haproxy"
echo "Certificates are in $folder; clients trust $trusted."
