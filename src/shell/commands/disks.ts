import type { Program } from "../program.ts";

/** Programs that make, divide or wipe file systems: nothing they do can be undone. */
export const DISKS: readonly Program[] = [
  {
    names:
      "mkfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs mkfs.exfat mkfs.f2fs mkfs.minix mke2fs mkdosfs mkntfs mkswap newfs newfs_hfs newfs_apfs wipefs blkdiscard zpool",
    danger: "makes or wipes a file system",
    opaque: true,
    info: "--version -V --help -h",
  },
  {
    names: "sfdisk cfdisk gdisk sgdisk cgdisk parted",
    danger: "changes how a disk is divided",
    opaque: true,
    info: "--version -V --help -h -v",
  },
];
