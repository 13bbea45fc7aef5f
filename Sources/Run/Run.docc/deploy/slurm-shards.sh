#!/bin/sh
#SBATCH --job-name=flotilla
#SBATCH --ntasks=4
#SBATCH --cpus-per-task=8
#SBATCH --time=01:00:00
start=$(date -u -d '+5 min' +%FT%TZ)
export start
# Each task expands its own number in the folder name.
# shellcheck disable=SC2016
srun sh -c 'exec flotilla load city --phones 2M --shard auto --set run.startAt="$start" \
  --collector collector.example:7070 --set run.tokenFile=token --out "runs/$SLURM_PROCID"'
exec flotilla report --merge runs/0 runs/1 runs/2 runs/3 --out runs/city
