#!/bin/sh
#SBATCH --job-name=flotilla
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=2
#SBATCH --cpus-per-task=8
#SBATCH --time=01:00:00
exec mpirun --bind-to none --mca odls_base_sigkill_timeout 20 \
  flotilla load city --phones 2M \
  --collector collector.example:7070 --set run.tokenFile=token --out runs/city
